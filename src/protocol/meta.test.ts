import { describe, expect, expectTypeOf, it } from 'vitest';
import { META, stampSubscription } from './meta.js';

describe('stamping a notification', () => {
  it('keeps the id as it is', () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;
    expect(stampSubscription(notification, 7)).toStrictEqual({
      ...notification,
      params: { _meta: { [META.subscriptionId]: 7 } },
    });
    expect(stampSubscription(notification, '').params._meta[META.subscriptionId]).toBe('');
    expect(stampSubscription(notification, '7').params._meta[META.subscriptionId]).toBe('7');
  });

  it('keeps what was there, and leaves the original untouched', () => {
    const notification = {
      method: 'notifications/resources/updated',
      params: { uri: 'menu://today', _meta: { 'com.example/x': 1, [META.subscriptionId]: 'old' } },
    };
    const before = structuredClone(notification);
    expect(stampSubscription(notification, 0)).toStrictEqual({
      method: 'notifications/resources/updated',
      params: { uri: 'menu://today', _meta: { 'com.example/x': 1, [META.subscriptionId]: 0 } },
    });
    expect(notification).toStrictEqual(before);
  });

  it('replaces a _meta that is not an object', () => {
    expect(stampSubscription({ method: 'a', params: { _meta: 'text' } }, 1).params._meta).toEqual({
      [META.subscriptionId]: 1,
    });
  });

  it('keeps the type of the notification', () => {
    const stamped = stampSubscription({ method: 'a' as const, params: { uri: 'b' } }, 1);
    expectTypeOf(stamped.method).toEqualTypeOf<'a'>();
    expectTypeOf(stamped.params.uri).toEqualTypeOf<string>();
  });
});
