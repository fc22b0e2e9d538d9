/*
 * How much a peer can make a server do, hold or wait for: every such number is here. How deep a message may be nested,
 * and how many parts it may have, is in `jsonrpc/message.ts`, since it holds for both sides; what a timer can take is
 * in `base/timers.ts`, and how many rounds a request may have in `protocol/round.ts`.
 */

import { MAX_ROUNDS } from '../protocol/round.js';

const KiB = 1024;
const MiB = 1024 * KiB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

// Messages

/** The largest body of an HTTP request, unless `maxBodyBytes` says otherwise. */
export const MAX_BODY_BYTES = 4 * MiB;
/** The longest line that is read from a pipe, unless `maxLineBytes` says otherwise. */
export const MAX_LINE_BYTES = 4 * MiB;
/** How many messages a batch may have, in the revision that has batches. */
export const MAX_BATCH = 100;

// Closing

/** How long calls may go on when a server closes, unless `close(graceMs)` says otherwise. */
export const GRACE_MS = 5 * SECOND;
/** After how long a connection is closed that nobody uses, unless `idleConnectionMs` says otherwise. */
export const IDLE_CONNECTION_MS = 75 * SECOND;

// Streams

/** How often a quiet stream of events shows that it is alive, unless `heartbeatMs` says otherwise. */
export const HEARTBEAT_MS = 15 * SECOND;
/** How much may wait for the reader of a stream from one turn of the event loop to the next. */
export const MAX_STREAM_BACKLOG_BYTES = 256 * KiB;
/** How much may be added to a stream in one turn, in which nothing can leave. */
export const MAX_STREAM_BURST_BYTES = 4 * MiB;
/** No more requests are read from a pipe, and no logs written, while this much waits for a client that does not read. */
export const MAX_PIPE_BACKLOG_BYTES = MiB;

// Replay of streams that broke off

/** How many events of one stream are kept. */
export const MAX_REPLAY_EVENTS = 1000;
/** How much of one stream is kept. */
export const MAX_REPLAY_STREAM_BYTES = MiB;
/** How much of all streams is kept. */
export const MAX_REPLAY_BYTES = 64 * MiB;
/** How many streams are kept. */
export const MAX_REPLAY_STREAMS = 10_000;
/** How long a stream is kept that nobody reads. */
export const REPLAY_MS = 5 * MINUTE;
/** When a client is told to come back to a stream. */
export const RETRY_MS = SECOND;

// Sessions of the handshake revisions

/** How long the id of a session is good. */
export const SESSION_LIFETIME_MS = 7 * DAY;
/** After how long without use a session loses what its id does not carry. */
export const SESSION_IDLE_MS = 30 * MINUTE;
/** How many sessions are known without opening their ids. */
export const MAX_RECENT_SESSIONS = 10_240;
/** How many sessions beyond those keep what their ids do not carry. */
export const MAX_KEPT_SESSIONS = 10_000;
/** How many ended sessions are remembered until their ids would have expired. */
export const MAX_ENDED_SESSIONS = 100_000;
/** The longest session id. Headers share 16 KiB on node, and proxies allow less. */
export const MAX_SESSION_ID_LENGTH = 4096;
/** How many streams of notices a session may have; a client that opens more loses the oldest. */
export const MAX_NOTICE_STREAMS = 16;
/** How many characters the URIs that a session subscribes to may have together. */
export const MAX_SUBSCRIBED_LENGTH = 64 * KiB;
/** How many pages a session remembers that nobody has come back from. */
export const MAX_OPEN_PAGES = 100;
/** How long the answer to a question may take, unless the author says otherwise. People take their time. */
export const ANSWER_TIMEOUT_MS = 5 * MINUTE;
/** How long the answer to a ping may take, unless the author says otherwise. */
export const PING_TIMEOUT_MS = 10 * SECOND;

// Rounds

/** How long the state of a request is good. */
export const STATE_LIFETIME_MS = 10 * MINUTE;
/** How long states of one request can come: each round makes a new one. */
export const REQUEST_LIFETIME_MS = MAX_ROUNDS * STATE_LIFETIME_MS;
/** The largest sealed state. */
export const MAX_STATE_BYTES = 64 * KiB;
/** The largest state before it is compressed: a client must not make us unpack megabytes with every small request. */
export const MAX_UNPACKED_STATE = MiB;
/** How long a handler that seems to ask something else than before may take to come to what it asked. */
export const DETOUR_MS = 3 * SECOND;
/** How long a step waits for earlier ones while another runs: perhaps that one waits for it. */
export const STUCK_STEP_MS = MINUTE;
/** How long running steps are waited for before the questions are told that the round ends. */
export const RUNNING_STEPS_MS = 5 * SECOND;
/** How many used states are remembered by the store in memory. */
export const MAX_USED_STATES = 1_000_000;
/** How many seals are known without opening them; together with `MAX_RECENT_SEAL_LENGTH`, a few megabytes at most. */
export const MAX_RECENT_SEALS = 1000;
/** The longest text, with what it is bound to, whose seal is remembered. That may be all arguments of a call. */
export const MAX_RECENT_SEAL_LENGTH = 2048;

// Access tokens

/** The longest access token. */
export const MAX_TOKEN_LENGTH = 16 * KiB;
/** The longest id of a DPoP proof, which is remembered until the proof expires. */
export const MAX_PROOF_ID_LENGTH = 256;
/** How many tokens are known without verifying them again. */
export const MAX_VERIFIED_TOKENS = 10_000;
