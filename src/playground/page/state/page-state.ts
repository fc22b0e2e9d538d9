import { createSignal } from 'solid-js';
import type { PageState } from '../../api.js';

/** What the process says of the target, once it is known. */
export const [pageState, setPageState] = createSignal<PageState>();
