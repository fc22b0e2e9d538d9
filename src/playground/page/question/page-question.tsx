import { Show } from 'solid-js';
import { Address } from '../parts/address.jsx';
import { safeLink } from '../parts/safe-link.js';
import { answer, type WaitingQuestion } from '../state/questions.js';

/** The button of a mouse that opens a link in a tab of its own. */
const MIDDLE = 1;

/** A question that is answered on a page of the server. The page is opened only by the user's click. */
export function PageQuestion(props: { question: WaitingQuestion }) {
  const address = () => String(props.question.params.url ?? '');
  const reply = (action: string) => void answer(props.question, { result: { action } });
  return (
    <>
      <p class="question-text">{String(props.question.params.message ?? '')}</p>
      <Show
        when={safeLink(address())}
        fallback={<p class="flaw">This address cannot be opened safely: {address()}</p>}
      >
        {url => (
          <>
            <Address url={url()} />
            <p class="muted">
              Open it only if you know {url().host}. The server learns that you agreed, not what you do there.
            </p>
          </>
        )}
      </Show>
      <div class="actions">
        <Show when={safeLink(address())}>
          {url => (
            <a
              class="button primary"
              href={url().href}
              target="_blank"
              rel="noopener noreferrer"
              onClick={() => reply('accept')}
              onAuxClick={event => event.button === MIDDLE && reply('accept')}
            >
              Open the page
            </a>
          )}
        </Show>
        <button type="button" onClick={() => reply('decline')}>
          Decline
        </button>
        <button type="button" class="quiet" onClick={() => reply('cancel')}>
          Cancel the question
        </button>
      </div>
    </>
  );
}
