import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ClientCapabilities,
  type ClientCapability,
  capabilityShape,
  hasCapability,
} from './capabilities.js';

const ALL: ClientCapability[] = [
  'elicitation',
  'elicitation.form',
  'elicitation.url',
  'sampling',
  'sampling.tools',
  'sampling.context',
  'roots',
  'roots.listChanged',
  'extensions.io.modelcontextprotocol/tasks',
  'extensions.__proto__',
  'experimental.constructor',
];

describe('whether a client has a capability', () => {
  it.each(ALL)('has %s if it declared exactly that', capability => {
    expect(hasCapability(capabilityShape(capability), capability)).toBe(true);
  });

  it.each(ALL)('has no %s if it declared nothing', capability => {
    expect(hasCapability({}, capability)).toBe(false);
  });

  it('takes an empty elicitation capability for forms, but not for pages', () => {
    expect(hasCapability({ elicitation: {} }, 'elicitation.form')).toBe(true);
    expect(hasCapability({ elicitation: {} }, 'elicitation.url')).toBe(false);
  });

  it('shows no forms to a client that only opens pages', () => {
    expect(hasCapability({ elicitation: { url: {} } }, 'elicitation.form')).toBe(false);
    expect(hasCapability({ elicitation: { url: {} } }, 'elicitation')).toBe(true);
    expect(hasCapability({ elicitation: { form: {}, url: {} } }, 'elicitation.form')).toBe(true);
  });

  it('does not take one sub-capability for another', () => {
    expect(hasCapability({ sampling: {} }, 'sampling.tools')).toBe(false);
    expect(hasCapability({ sampling: { context: {} } }, 'sampling.tools')).toBe(false);
    expect(hasCapability({ roots: {} }, 'roots.listChanged')).toBe(false);
    expect(hasCapability({ roots: { listChanged: false } }, 'roots.listChanged')).toBe(false);
  });

  it('looks up extensions by their whole name, dots included', () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    expect(hasCapability(capabilities, 'extensions.io.modelcontextprotocol/tasks')).toBe(true);
    expect(hasCapability(capabilities, 'extensions.io')).toBe(false);
  });

  it.each(['constructor', 'toString', '__proto__'])('finds no extension %s on the prototype', name => {
    expect(hasCapability({ extensions: {} }, `extensions.${name}`)).toBe(false);
    expect(hasCapability(Object.create({ roots: {} }), 'roots')).toBe(false);
  });

  it('is not fooled by values of the wrong type', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ALL),
        fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.nat())),
        (capability, junk) => {
          const group = capability.slice(0, capability.indexOf('.') + 1 || undefined).replace('.', '');
          expect(hasCapability({ [group]: junk } as ClientCapabilities, capability)).toBe(false);
        },
      ),
    );
  });
});

it.each([
  ['roots', { roots: {} }],
  ['roots.listChanged', { roots: { listChanged: true } }],
  ['elicitation.url', { elicitation: { url: {} } }],
  ['extensions.com.example/x', { extensions: { 'com.example/x': {} } }],
] as const)('describes %s as %j', (capability, shape) => {
  expect(capabilityShape(capability)).toEqual(shape);
});
