import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'transports/messages-are-utf-8',
    level: 'MUST',
    of: 'both',
    page: '/basic/transports',
    text: 'Messages are encoded in UTF-8.',
  },
  {
    id: 'transports/all-messages-are-delivered',
    level: 'MUST',
    of: 'both',
    page: '/basic/transports',
    text: 'A transport delivers requests and notifications to the server, and responses and notifications to the client.',
  },
  {
    id: 'transports/custom-transports-keep-the-protocol',
    level: 'MUST',
    of: 'author',
    page: '/basic/transports',
    text: 'A custom transport keeps the messages, the patterns and the metadata of each request.',
    notTested: "Tenon ships none; a transport of one's own carries the messages of a real server unchanged.",
  },
  {
    id: 'transports/custom-transports-are-documented',
    level: 'SHOULD',
    of: 'author',
    page: '/basic/transports',
    text: 'A custom transport documents how it connects, frames and cancels.',
    notTested: 'Tenon ships none.',
  },
  {
    id: 'transports/custom-transports-use-stdio-framing',
    level: 'SHOULD',
    of: 'author',
    page: '/basic/transports',
    text: 'A custom transport over a byte stream uses the framing of stdio.',
    notTested: 'Tenon ships none.',
  },
] satisfies readonly Requirement[];
