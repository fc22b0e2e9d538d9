import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'uri-scheme',
    level: 'MUST',
    of: 'server',
    page: '#content-requirements',
    text: 'The URI of a page begins with `ui://`.',
  },
  {
    id: 'mime-type',
    level: 'MUST',
    of: 'server',
    page: '#content-requirements',
    text: 'A page has the type `text/html;profile=mcp-app`.',
  },
  {
    id: 'content-is-text',
    level: 'MUST',
    of: 'server',
    page: '#content-requirements',
    text: 'A page is read as `text`, or as `blob`.',
  },
  {
    id: 'valid-html',
    level: 'MUST',
    of: 'server',
    page: '#content-requirements',
    text: 'A page is an HTML5 document.',
  },
  {
    id: 'resource-exists',
    level: 'MUST',
    of: 'server',
    page: '#behavior',
    text: 'The page that a tool names is a resource of the same server.',
  },
  {
    id: 'server-declares',
    level: 'MUST',
    of: 'server',
    page: '#clientserver-capability-negotiation',
    text: 'A server with apps declares the extension.',
  },
  {
    id: 'text-for-others',
    level: 'SHOULD',
    of: 'server',
    page: '#server-behavior',
    text: 'A tool with a page looks whether the host shows pages, and gives text to those that do not.',
  },
  {
    id: 'content-is-meaningful',
    level: 'MUST',
    of: 'author',
    page: '#server-behavior',
    text: 'The content of a result makes sense without the page.',
    notTested: 'The author writes the text.',
  },
  {
    id: 'domain-of-host',
    level: 'MUST',
    of: 'author',
    page: '#ui-resource-format',
    text: 'A server writes the domain of a page in the form that the documentation of the host asks for.',
    notTested: 'The forms differ from host to host; `app` takes host names and origins.',
  },
] satisfies Requirement[];
