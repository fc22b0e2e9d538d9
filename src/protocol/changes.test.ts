import { describe, expect, it } from 'vitest';
import { type Change, changeNotification } from './changes.js';
import { wantsChange } from './filtered-changes.js';
import { readSubscriptionFilter } from './subscription-filter.js';

const tools: Change = { kind: 'tools' };
const prompts: Change = { kind: 'prompts' };
const resources: Change = { kind: 'resources' };
const menu: Change = { kind: 'resource', uri: 'menu://today' };
const signedIn: Change = { kind: 'elicitation', id: 'e1' };

describe('reading the filter of a listener', () => {
  it('keeps what is asked for', () => {
    const filter = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['menu://today'],
    };
    expect(readSubscriptionFilter(filter)).toEqual(filter);
  });

  it('drops what is not: false flags, an empty list, and what nobody knows', () => {
    expect(readSubscriptionFilter({ toolsListChanged: false, resourceSubscriptions: [], other: 5 })).toEqual(
      {},
    );
  });

  it.each([
    [undefined, 'notifications'],
    [null, 'notifications'],
    [[], 'notifications'],
    [{ toolsListChanged: 'yes' }, 'notifications.toolsListChanged'],
    [{ promptsListChanged: 1 }, 'notifications.promptsListChanged'],
    [{ resourcesListChanged: null }, 'notifications.resourcesListChanged'],
    [{ resourceSubscriptions: 'menu://today' }, 'notifications.resourceSubscriptions'],
    [{ resourceSubscriptions: [5] }, 'notifications.resourceSubscriptions'],
  ])('says what is wrong with %j', (value, place) => {
    expect(readSubscriptionFilter(value)).toEqual(expect.stringContaining(place));
  });
});

describe('a filter', () => {
  it.each([
    [{ toolsListChanged: true }, [tools]],
    [{ promptsListChanged: true }, [prompts]],
    [{ resourcesListChanged: true }, [resources]],
    [{ resourceSubscriptions: ['menu://today'] }, [menu]],
    [{ resourceSubscriptions: ['menu://tomorrow'] }, []],
    [{}, []],
  ])('%j lets through %j and nothing else', (filter, wanted) => {
    expect([tools, prompts, resources, menu, signedIn].filter(change => wantsChange(filter, change))).toEqual(
      wanted,
    );
  });
});

it.each([
  [tools, { method: 'notifications/tools/list_changed' }],
  [prompts, { method: 'notifications/prompts/list_changed' }],
  [resources, { method: 'notifications/resources/list_changed' }],
  [menu, { method: 'notifications/resources/updated', params: { uri: 'menu://today' } }],
  [signedIn, { method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } }],
])('tells of the change %j with %j', (change, notification) => {
  expect(changeNotification(change)).toEqual(notification);
});
