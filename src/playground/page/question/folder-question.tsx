import { createSignal, createUniqueId } from 'solid-js';
import { answer, type WaitingQuestion } from '../state/questions.js';

/** A question for the folders that the client works in. */
export function FolderQuestion(props: { question: WaitingQuestion }) {
  const id = createUniqueId();
  const [text, setText] = createSignal('');
  const accept = (event: SubmitEvent) => {
    event.preventDefault();
    const lines = text()
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== '');
    void answer(props.question, { result: { roots: lines.map(line => ({ uri: toUri(line) })) } });
  };
  return (
    <form onSubmit={accept}>
      <div class="field">
        <label class="label" for={id}>
          Folders to share
        </label>
        <p class="hint">One path on each line. Nothing is read here: the server only learns the names.</p>
        <textarea
          id={id}
          rows={3}
          placeholder="/home/me/recipes"
          value={text()}
          onInput={event => setText(event.currentTarget.value)}
        />
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          Send the answer
        </button>
        <button type="button" onClick={() => void answer(props.question, { refused: true })}>
          Refuse
        </button>
      </div>
    </form>
  );
}

function toUri(path: string): string {
  if (/^file:/i.test(path)) return path;
  const absolute = path.replaceAll('\\', '/').replace(/^(?!\/)/, '/');
  return `file://${absolute.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':')}`;
}
