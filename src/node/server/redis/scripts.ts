import { createHash } from 'node:crypto';
import type { RedisClient } from './client.js';

/** A program that Redis runs at once, between the commands of all other clients. */
export interface Script {
  readonly source: string;
  readonly hash: string;
}

/** Runs a script. Redis is sent its source only if it does not have it. */
export async function runScript(
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const rest = [`${keys.length}`, ...keys, ...args];
  try {
    return await client.sendCommand(['EVALSHA', script.hash, ...rest]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.sendCommand(['EVAL', script.source, ...rest]);
  }
}

/**
 * The index of a group is two sorted sets of keys: in the order in which they came, and by expiry. Redis removes values by
 * itself when they expire; the indexes follow when a key is added.
 */
const GROUPS = `
local function order(group) return ARGV[1] .. 'group:' .. group end
local function expiry(group) return ARGV[1] .. 'group-expiry:' .. group end
local function leave(group, key)
  redis.call('ZREM', order(group), key)
  redis.call('ZREM', expiry(group), key)
end
`;

/**
 * Keys: value. Arguments: start, key, was, version, value, expiresAt, group, limit, and the channel and the text of a message
 * if there is one. Returns the version, 'full', or nil.
 */
export const WRITE = script(`${GROUPS}
local key, was, version, value, expires_at = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local found = redis.call('HMGET', KEYS[1], 'version', 'group', 'expires')
if (found[1] or '') ~= was then return false end
local group = found[2]
if was == '' and ARGV[7] ~= '' then
  group = ARGV[7]
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', expiry(group), '-inf', '(' .. string.format('%.0f', now))) do
    leave(group, gone)
  end
  if redis.call('ZCARD', order(group)) >= tonumber(ARGV[8]) then return 'full' end
  redis.call('ZADD', order(group), redis.call('INCR', ARGV[1] .. 'arrivals'), key)
end
local fields = {'version', version, 'value', value}
-- Most writes keep the expiry, and then the indexes are as they should be.
local is_new_expiry = found[3] ~= expires_at
if is_new_expiry then
  fields[5], fields[6] = 'expires', expires_at
  if group then fields[7], fields[8] = 'group', group end
end
redis.call('HSET', KEYS[1], unpack(fields))
if is_new_expiry then
  if group then
    redis.call('ZADD', expiry(group), expires_at, key)
    local last = redis.call('ZREVRANGE', expiry(group), 0, 0, 'WITHSCORES')[2]
    last = string.format('%.0f', tonumber(last) + 1)
    redis.call('PEXPIREAT', order(group), last)
    redis.call('PEXPIREAT', expiry(group), last)
  end
  redis.call('PEXPIREAT', KEYS[1], expires_at)
end
if ARGV[9] then redis.call('PUBLISH', ARGV[9], ARGV[10]) end
return version
`);

/** Keys: value. Arguments: start, key. */
export const REMOVE = script(`${GROUPS}
local group = redis.call('HGET', KEYS[1], 'group')
redis.call('DEL', KEYS[1])
if group then leave(group, ARGV[2]) end
`);

/** Arguments: start, group, limit, and the key to go on after. Returns keys. It writes nothing, so a replica can run it. */
export const LIST = script(`${GROUPS}
local group, limit = ARGV[2], tonumber(ARGV[3])
local keys, at = {}, 0
if ARGV[4] ~= '' then
  local rank = redis.call('ZRANK', order(group), ARGV[4])
  if rank and redis.call('HGET', ARGV[1] .. 'value:' .. ARGV[4], 'group') == group then at = rank + 1 end
end
while #keys < limit do
  local some = redis.call('ZRANGE', order(group), at, at + limit - 1)
  if #some == 0 then break end
  at = at + #some
  for _, key in ipairs(some) do
    if #keys < limit and redis.call('HGET', ARGV[1] .. 'value:' .. key, 'group') == group then
      keys[#keys + 1] = key
    end
  end
end
return keys
`);

/**
 * Keys: log, its state. Arguments: expiresAt, maxEntries, maxBytes, then the number and text of each entry. The log is a
 * stream, in which the number is the first part of an id; the second part is 1, because there is no id 0-0.
 */
export const APPEND = script(`
local state = redis.call('HMGET', KEYS[2], 'last', 'bytes')
local last, bytes = state[1] or '-1', tonumber(state[2] or '0')
for at = 4, #ARGV, 2 do
  if tonumber(ARGV[at]) > tonumber(last) then
    redis.call('XADD', KEYS[1], ARGV[at] .. '-1', 'text', ARGV[at + 1])
    last, bytes = ARGV[at], bytes + #ARGV[at + 1]
  end
end
local count = redis.call('XLEN', KEYS[1])
while count > 0 and (count > tonumber(ARGV[2]) or bytes > tonumber(ARGV[3])) do
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[1], oldest[1])
  count, bytes = count - 1, bytes - #oldest[2][2]
end
redis.call('HSET', KEYS[2], 'last', last, 'bytes', string.format('%.0f', bytes))
redis.call('PEXPIREAT', KEYS[1], ARGV[1])
redis.call('PEXPIREAT', KEYS[2], ARGV[1])
`);

/** Keys: log, its state. Arguments: the id to start with. Returns entries, or nil if there is no such log. */
export const READ_LOG = script(`
if redis.call('EXISTS', KEYS[2]) == 0 then return false end
return redis.call('XRANGE', KEYS[1], ARGV[1], '+')
`);

function script(source: string): Script {
  return { source, hash: createHash('sha1').update(source).digest('hex') };
}
