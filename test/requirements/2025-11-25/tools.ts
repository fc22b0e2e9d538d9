import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'tools/input-schema-is-an-object',
    level: 'MUST',
    of: 'server',
    page: '/server/tools',
    text: 'The input schema of a tool is a valid JSON Schema object.',
  },
  {
    id: 'tools/name-length',
    level: 'SHOULD',
    of: 'server',
    page: '/server/tools',
    text: 'A tool name has 1 to 128 characters.',
  },
  {
    id: 'tools/name-is-case-sensitive',
    level: 'SHOULD',
    of: 'both',
    page: '/server/tools',
    text: 'Tool names are case-sensitive.',
  },
  {
    id: 'tools/name-characters',
    level: 'SHOULD',
    of: 'server',
    page: '/server/tools',
    text: 'A tool name has only letters, digits, underscores, hyphens and dots of ASCII.',
  },
  {
    id: 'tools/name-has-no-special-characters',
    level: 'SHOULD NOT',
    of: 'server',
    page: '/server/tools',
    text: 'A tool name has no spaces, commas or other special characters.',
  },
  {
    id: 'tools/name-is-unique',
    level: 'SHOULD',
    of: 'server',
    page: '/server/tools',
    text: 'A tool name is unique within a server.',
  },
  {
    id: 'tools/tool-errors-reach-the-model',
    level: 'SHOULD',
    of: 'author',
    page: '/server/tools',
    text: 'A client gives tool execution errors to the model.',
    notTested: 'A client returns such results to the host, which talks to the model.',
  },
] satisfies readonly Requirement[];
