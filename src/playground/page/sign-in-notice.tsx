import { Show } from 'solid-js';
import { safeLink } from './parts/safe-link.js';
import { signInAddress } from './state/sign-in.js';

/** Leads to the sign-in that the server wants. It is opened only by the user's click. */
export function SignInNotice() {
  return (
    <Show when={signInAddress()}>
      {address => (
        <section class="question notice" aria-labelledby="sign-in">
          <h2 id="sign-in" class="question-head">
            The server wants you to sign in
          </h2>
          <Show
            when={safeLink(address())}
            fallback={<p class="flaw">The address of its sign-in cannot be opened safely: {address()}</p>}
          >
            {url => (
              <>
                <p>
                  The sign-in is at <strong>{url().host}</strong>. This page goes on by itself when you have
                  finished there.
                </p>
                <div class="actions">
                  <a class="button primary" href={url().href} target="_blank" rel="noopener noreferrer">
                    Open the sign-in
                  </a>
                </div>
              </>
            )}
          </Show>
        </section>
      )}
    </Show>
  );
}
