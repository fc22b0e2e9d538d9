import { createStore } from 'solid-js/store';
import type { WireMessage } from '../../api.js';

/** Something that happened besides the calls of the user. */
export type ActivityItem =
  | {
      readonly type: 'message';
      readonly at: number;
      readonly connection: string;
      readonly traffic: WireMessage;
    }
  | { readonly type: 'warning' | 'standard-error' | 'notice'; readonly at: number; readonly text: string };

const MAX_ITEMS = 300;
const [activity, setActivity] = createStore<ActivityItem[]>([]);

export { activity };

export function noteActivity(item: ActivityItem): void {
  setActivity(items => [...items, item].slice(-MAX_ITEMS));
}
