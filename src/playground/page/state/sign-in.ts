import { createSignal } from 'solid-js';

/** The address of the sign-in that the server wants, while it waits for the user. */
export const [signInAddress, noteSignIn] = createSignal<string>();
