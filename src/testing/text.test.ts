import { expect, it } from 'vitest';
import { textOf } from './text.js';

const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;

it('finds the texts of what a tool returned', () => {
  const content = [{ type: 'text', text: 'Soup' } as const, image, { type: 'text', text: 'Pie' } as const];
  expect(textOf({ content })).toBe('Soup\nPie');
  expect(textOf({ content: [image] })).toBe('');
});

it('finds the texts of a prompt', () => {
  const messages = [
    { role: 'user', content: { type: 'text', text: 'One soup' } } as const,
    { role: 'assistant', content: image } as const,
  ];
  expect(textOf({ messages })).toBe('One soup');
});

it('finds the texts of a resource', () => {
  const contents = [
    { uri: 'menu://today', text: 'Soup' },
    { uri: 'menu://photo', blob: 'AAAA' },
  ];
  expect(textOf({ contents })).toBe('Soup');
});
