/*
 * All limits on the work, memory and time that a peer can cost a server. Those of the common ground are elsewhere: the
 * depth and parts of a message in `jsonrpc/limits.ts`, the number of rounds in `protocol/round-limit.ts`, the length of
 * URIs in `protocol/resource-uri.ts`, and the range of a timer in `base/timers.ts`. What clients make a server hold is
 * counted in `ledger.ts`.
 */

const KiB = 1024;
const MiB = 1024 * KiB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

// Messages

/** The largest body of an HTTP request, unless `maxBodyBytes` is set. */
export const MAX_BODY_BYTES = 4 * MiB;
/** The longest line that is read from a pipe, unless `maxLineBytes` is set. */
export const MAX_LINE_BYTES = 4 * MiB;
/** How many messages a batch may have, in the revision that has batches. */
export const MAX_BATCH = 100;
/** How many characters the answers to a batch may have together. */
export const MAX_BATCH_ANSWER = 16 * MiB;

// Memory that peers make a server hold

/** How much a server holds for its peers where the runtime does not tell the size of its heap. */
export const MAX_HELD_BYTES = 64 * MiB;
/** The part of the heap that may be held for peers on Node, unless `maxHeldBytes` is set. */
export const HELD_SHARE = 1 / 4;
/** The part of that which may be held for one connection, session or principal. */
export const PEER_SHARE = 1 / 4;
/** The part that is reserved for peers for which little is held. */
export const RESERVED_SHARE = 1 / 4;
/** Up to here a peer may use the reserve; less, the fuller it is. */
export const SMALL_PEER_BYTES = 64 * KiB;
/** Up to here the connections of one network address may use the second half of the reserve; less, the fuller it is. */
export const SMALL_ADDRESS_BYTES = 256 * KiB;
/** How many addresses are known for which nothing is held; when there are more, they are forgotten. */
export const MAX_IDLE_ADDRESSES = 10_000;
/** How many principals are known for which nothing is held; when there are more, they are forgotten. */
export const MAX_IDLE_PRINCIPALS = 1000;
/** What a question of a running call takes. */
export const QUESTION_BYTES = 4 * KiB;
/** What a request over HTTP takes beside its headers and its content, until its response is sent. */
export const REQUEST_BYTES = 4 * KiB;
/** What a header of such a request takes beside its text. */
export const HEADER_BYTES = 128;
/** What an open stream takes. */
export const STREAM_BYTES = 16 * KiB;
/** Output up to this size is counted only if it waits for longer than a moment: also a client that reads well has some. */
export const MIN_UNREAD_BYTES = 16 * KiB;
/** `listen` keeps one connection open for each of these that may be held; if there are more, the idle ones are closed. */
export const CONNECTION_BYTES = 8 * KiB;
/** When a client should try again that was refused because memory is full. */
export const RETRY_AFTER_MS = 2 * SECOND;

// Closing

/** How long calls may continue when a server closes, unless `close(graceMs)` is called with another number. */
export const GRACE_MS = 5 * SECOND;
/** After how long an idle connection is closed, unless `idleConnectionMs` is set. */
export const IDLE_CONNECTION_MS = 75 * SECOND;

// Bodies of requests

/** How long a body may take to arrive, also if the request was refused. */
export const BODY_MS = MINUTE;
/** How long a body may pause. */
export const BODY_SILENCE_MS = 15 * SECOND;
/** How long the head of a request may take to arrive. */
export const HEAD_MS = 30 * SECOND;
/** How many headers a request to `listen` may have. */
export const MAX_HEADERS = 200;
/** The part of the memory for peers that the headers of unfinished heads may take; then those are closed. */
export const UNFINISHED_HEADS_SHARE = 1 / 8;

// Streams

/** How often a quiet event stream sends a heartbeat, unless `heartbeatMs` is set. */
export const HEARTBEAT_MS = 15 * SECOND;
/** How much may be queued for the reader of a stream from one turn of the event loop to the next. */
export const MAX_STREAM_BACKLOG_BYTES = 256 * KiB;
/** How much may be queued for a stream within one turn, in which nothing can be sent. */
export const MAX_STREAM_BURST_BYTES = 4 * MiB;
/** How many lines of a pipe are taken in one turn of the event loop, so that their answers can be written. */
export const LINES_PER_TURN = 16;
/** No more requests are read from a pipe, and no logs written, while this much is queued for a slow client. */
export const MAX_PIPE_BACKLOG_BYTES = MiB;

// Notifications of handlers

/** How many progress notifications of a request are sent per second, unless `maxProgressPerSecond` is set. */
export const MAX_PROGRESS_PER_SECOND = 100;
/** How many log messages of a request are sent per second, unless `maxLogsPerSecond` is set. */
export const MAX_LOGS_PER_SECOND = 500;
/** The notifications of how much time may be sent at once. */
export const NOTICE_BURST_MS = 2 * SECOND;
/** How long the newest progress, and the number of log messages that were left out, wait at most. */
export const HELD_NOTICE_MS = SECOND;

// Replay of broken streams

/** How many events of one stream are kept. */
export const MAX_REPLAY_EVENTS = 1000;
/** How much of one stream is kept. */
export const MAX_REPLAY_STREAM_BYTES = MiB;
/** How much of all streams is kept, and the part of the memory for peers that it may take at most. */
export const MAX_REPLAY_BYTES = 64 * MiB;
export const MAX_REPLAY_SHARE = 1 / 4;
/** What an event that is kept takes beside its text. */
export const EVENT_BYTES = 128;
/** How many streams are kept. */
export const MAX_REPLAY_STREAMS = 10_000;
/** How long a stream without a reader is kept. */
export const REPLAY_MS = 5 * MINUTE;
/** After how long without its client a stream counts as abandoned, so that questions on it end. */
export const ABANDONED_MS = MINUTE;
/** After how long a client should reconnect to a stream. */
export const RETRY_MS = SECOND;

// Sessions of the handshake revisions

/** How long a session id is valid. */
export const SESSION_LIFETIME_MS = 7 * DAY;
/** After how long without use a session ends if it has state that its id does not carry. */
export const SESSION_IDLE_MS = 30 * MINUTE;
/** How many sessions are kept in memory, so that their ids need not be opened. */
export const MAX_RECENT_SESSIONS = 10_240;
/** How many more sessions are kept because they have state that their ids do not carry. */
export const MAX_KEPT_SESSIONS = 10_000;
/** How many ended sessions are remembered until their ids would have expired. */
export const MAX_ENDED_SESSIONS = 100_000;
/** The part of the memory for peers that idle sessions may take. */
export const MAX_SESSIONS_SHARE = 1 / 4;
/** What a session takes beside its id and its capabilities. */
export const SESSION_BYTES = 1 * KiB;
/** The longest session id. Headers share 16 KiB on node, and proxies allow less. */
export const MAX_SESSION_ID_LENGTH = 4096;
/** How many notification streams a session may have; a client that opens more loses the oldest. */
export const MAX_NOTICE_STREAMS = 16;
/** What a subscription takes beside its URI. */
export const SUBSCRIPTION_BYTES = 128;
/** How many unfinished pages a session remembers. */
export const MAX_OPEN_PAGES = 100;
/** How long the answer to a question may take, unless the author sets `timeoutMs`. People take their time. */
export const ANSWER_TIMEOUT_MS = 5 * MINUTE;
/** How long a question waits for `notifications/initialized`, which may have been overtaken by the request. */
export const INITIALIZED_MS = 5 * SECOND;
/** How long the answer to a ping may take, unless the author sets `timeoutMs`. */
export const PING_TIMEOUT_MS = 10 * SECOND;

/** How many sessions that are not initialized yet are known. Questions to others do not wait. */
export const MAX_UNINITIALIZED_SESSIONS = 1000;

// Nodes that share a store

/** How long another node may take to answer. */
export const NODE_ANSWER_MS = 3 * SECOND;
/** After how long a store that is away is tried again. */
export const CLUSTER_RETRY_MS = SECOND / 2;
/** How much memory a `memoryCluster` may take, unless `maxBytes` is set; more, if servers may hold more for clients. */
export const MAX_CLUSTER_BYTES = 64 * MiB;
/** The part of that which logs may take; the oldest ones give way. */
export const CLUSTER_LOG_SHARE = 1 / 4;
/** The part of the rest that new values may fill; what is left is for values that grow, such as tasks that end. */
export const CLUSTER_NEW_SHARE = 3 / 4;
/** The part of the rest that one group may fill, such as the tasks of a principal. */
export const CLUSTER_GROUP_SHARE = 1 / 2;
/** How many changes wait for a store that is away; when there are more, other nodes are told that any may be missing. */
export const MAX_UNSENT_CHANGES = 1000;

/** How often a node says that a client still reads a stream of another node, and how long it may say nothing. */
export const STREAM_BEAT_MS = 10 * SECOND;
export const STREAM_SILENCE_MS = 30 * SECOND;
/** How long nodes may take to say that a client listens at them, and how long that is believed. */
export const LISTENER_MS = SECOND;
export const LISTENER_KNOWN_MS = 5 * SECOND;
/** A response stream that ended so shortly before its node is left to the other nodes. */
export const HANDED_OVER_MS = 10 * SECOND;
/** How large the state of a session may be that nodes share, as text. */
export const MAX_SHARED_STATE = 256 * KiB;
/** How many sessions are known to have begun on this node, so that the store need not be asked for their state. */
export const MAX_BEGUN_SESSIONS = 10_000;

// Listen streams

/** How much memory the request of a listen stream may take, because it is held as long as the stream lasts. */
export const MAX_LISTEN_BYTES = 256 * KiB;

// Rounds

/** How long the state of a request is valid, unless `roundLifetimeMs` is set. */
export const STATE_LIFETIME_MS = 10 * MINUTE;
/** The largest sealed state. */
export const MAX_STATE_BYTES = 64 * KiB;
/** The largest state before compression: a client must not make us pack and unpack megabytes. */
export const MAX_UNPACKED_STATE = 256 * KiB;
/** How long a handler with a new question or step may take to come to its earlier ones, before that is an error. */
export const DETOUR_MS = 3 * SECOND;
/** How long a new step waits for earlier ones while another step runs: that one may be waiting for the new step. */
export const STUCK_STEP_MS = MINUTE;
/** How long an ending round waits for running steps before it rejects the open questions. */
export const RUNNING_STEPS_MS = 5 * SECOND;
/** How many used DPoP proofs the store in memory remembers. */
export const MAX_USED_STATES = 250_000;
/** How many used states are remembered for each byte of memory for peers. */
export const USED_STATES_PER_BYTE = 1 / 1024;
/** An id of a state or a proof that is longer than this counts as several. */
export const USED_ID_LENGTH = 64;
/** How many seals are cached; together with `MAX_RECENT_SEAL_LENGTH`, a few megabytes at most. */
export const MAX_RECENT_SEALS = 1000;
/** The longest text, with the data it is bound to, whose seal is cached. That data may be all arguments of a call. */
export const MAX_RECENT_SEAL_LENGTH = 2048;

// Access tokens

/** How many tokens of one connection are verified at a time; further requests on it wait. */
export const MAX_VERIFICATIONS = 8;
/** The longest access token. */
export const MAX_TOKEN_LENGTH = 16 * KiB;
/** The longest id of a DPoP proof, which is remembered until the proof expires. */
export const MAX_PROOF_ID_LENGTH = 256;
/** How many characters the verified tokens that are cached may have together. */
export const MAX_VERIFIED_LENGTH = 8 * MiB;
/** How many verified tokens are cached. */
export const MAX_VERIFIED_TOKENS = 10_000;
