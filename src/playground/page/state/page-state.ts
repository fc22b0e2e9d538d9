import { createSignal } from 'solid-js';
import type { PageProblem, PageState } from '../../api.js';

/** What the process says of the target, once it is known. */
export const [pageState, setPageState] = createSignal<PageState>();

/** Why the page cannot begin, if it cannot. */
export const [pageProblem, setPageProblem] = createSignal<PageProblem>();
