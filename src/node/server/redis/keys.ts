import { UsageError } from '../../../base/errors.js';

/**
 * The names of keys and channels in Redis. All have one hash tag, so that a Redis Cluster keeps them in one slot, where
 * scripts can change several of them at once.
 */
export class Keys {
  /** What every name starts with. Scripts make the names of groups with it. */
  readonly start: string;

  constructor(prefix: string) {
    if (prefix === '' || /[{}\0]/.test(prefix))
      throw new UsageError('the prefix must not be empty, and must not contain braces');
    this.start = `{${prefix}}:`;
  }

  value(key: string): string {
    return `${this.start}value:${key}`;
  }

  log(name: string): string {
    return `${this.start}log:${name}`;
  }

  /** The last number of a log and its size. */
  logState(name: string): string {
    return `${this.start}log-state:${name}`;
  }

  channel(topic: string): string {
    return `${this.start}topic:${topic}`;
  }

  topic(channel: string): string {
    return channel.slice(this.start.length + 'topic:'.length);
  }
}
