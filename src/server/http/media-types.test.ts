import { describe, expect, test } from 'vitest';
import { accepts, acceptsReply, isJsonType } from './media-types.js';

describe('isJsonType', () => {
  test.for([
    'application/json',
    'application/json;charset=utf-8',
    'APPLICATION/JSON ; x=y',
    'application/json ',
  ])('takes %s', type => expect(isJsonType(type)).toBe(true));

  test.for([
    undefined,
    '',
    'json',
    'text/json',
    'application/jsonx',
    'application/json-patch+json',
    ' application/json',
  ])('refuses %s', type => expect(isJsonType(type)).toBe(false));
});

describe('accepts', () => {
  test('takes everything where nothing is said', () => {
    expect(accepts(undefined, 'text/event-stream')).toBe(true);
  });

  test.for<[string, boolean]>([
    ['text/event-stream', true],
    ['TEXT/Event-Stream', true],
    ['text/*', true],
    ['*/*', true],
    ['text/html, text/event-stream;q=0.1', true],
    ['text/event-stream; charset=utf-8', true],
    ['text/event-stream;q=0.001', true],
    ['', false],
    ['application/json', false],
    ['application/*', false],
    ['text', false],
    ['text/event-stream;q=0', false],
    ['text/event-stream; q=0.000', false],
    ['text/event-stream; Q=0', false],
  ])('%s takes an event stream: %s', ([accept, expected]) => {
    expect(accepts(accept, 'text/event-stream')).toBe(expected);
  });

  test('lets the most specific range decide, wherever it stands', () => {
    expect(accepts('*/*, text/event-stream;q=0', 'text/event-stream')).toBe(false);
    expect(accepts('text/event-stream;q=0, */*', 'text/event-stream')).toBe(false);
    expect(accepts('text/*;q=0, text/event-stream', 'text/event-stream')).toBe(true);
    expect(accepts('*/*;q=0, text/*', 'text/event-stream')).toBe(true);
  });
});

describe('acceptsReply', () => {
  test('needs both kinds of answer', () => {
    expect(acceptsReply('application/json, text/event-stream')).toBe(true);
    expect(acceptsReply('text/event-stream,application/json')).toBe(true);
    expect(acceptsReply('*/*')).toBe(true);
    expect(acceptsReply(undefined)).toBe(true);
    expect(acceptsReply('application/json')).toBe(false);
    expect(acceptsReply('text/event-stream')).toBe(false);
  });
});
