import { App, applyDocumentTheme, applyHostStyleVariables } from '@modelcontextprotocol/ext-apps';

interface Table {
  id: string;
  seats: number;
  isFree: boolean;
}

/** The results of the tools `choose_table` and `book_table`. */
interface Shown {
  tables: Table[];
}
interface Booked extends Shown {
  confirmation: string;
}

const plan = document.querySelector('#plan') as HTMLElement;
const hint = document.querySelector('#hint') as HTMLElement;
const message = document.querySelector('#message') as HTMLElement;
const form = document.querySelector('#booking') as HTMLFormElement;
const [guests, name, book] = form.elements as unknown as [
  HTMLInputElement,
  HTMLInputElement,
  HTMLButtonElement,
];

const app = new App({ name: 'tables', version: '1.0.0' }, { availableDisplayModes: ['inline'] });
let tables: Table[] = [];
let chosen: string | undefined;

app.addEventListener('toolinput', ({ arguments: given }) => {
  if (typeof given?.guests === 'number') guests.value = String(given.guests);
});
app.addEventListener('toolresult', ({ structuredContent }) => {
  if (structuredContent) show((structuredContent as Shown).tables);
});
app.addEventListener('toolcancelled', () => {
  hint.textContent = 'The plan was cancelled.';
});
app.addEventListener('hostcontextchanged', adoptLook);

guests.addEventListener('input', () => show(tables));
// Many hosts do not let pages submit forms, not even to themselves.
book.addEventListener('click', () => {
  if (form.reportValidity()) void bookTable();
});

await app.connect();
adoptLook();

function adoptLook(): void {
  const { theme, styles } = app.getHostContext() ?? {};
  if (theme) applyDocumentTheme(theme);
  if (styles?.variables) applyHostStyleVariables(styles.variables);
}

function show(now: Table[]): void {
  tables = now;
  const fitting = tables.filter(({ isFree, seats }) => isFree && seats >= Number(guests.value));
  if (!fitting.some(({ id }) => id === chosen)) chosen = undefined;
  hint.textContent = `${fitting.length} of ${tables.length} tables fit tonight.`;
  plan.replaceChildren(...tables.map(table => tableButton(table, fitting.includes(table))));
  book.disabled = chosen === undefined;
}

function tableButton({ id, seats, isFree }: Table, fits: boolean): HTMLElement {
  const button = document.createElement('button');
  button.className = 'table';
  const dots = document.createElement('span');
  dots.className = 'seats';
  dots.append(...Array.from({ length: seats }, () => document.createElement('i')));
  button.append(textOf('b', `Table ${id}`), dots, textOf('small', isFree ? `${seats} seats` : 'taken'));
  button.disabled = !fits;
  button.setAttribute('aria-pressed', String(id === chosen));
  button.addEventListener('click', () => {
    chosen = id;
    show(tables);
  });
  return button;
}

async function bookTable(): Promise<void> {
  const booking = { table: chosen, guests: Number(guests.value), name: name.value };
  book.disabled = true;
  try {
    const { structuredContent, isError, content } = await app.callServerTool({
      name: 'book_table',
      arguments: booking,
    });
    if (isError || !structuredContent)
      return tell(content[0]?.type === 'text' ? content[0].text : 'No.', true);
    const { confirmation, tables: now } = structuredContent as Booked;
    chosen = undefined;
    show(now);
    tell(confirmation);
    // The model did not see the call, so the page tells it, if the host takes such news.
    if (app.getHostCapabilities()?.updateModelContext)
      await app.updateModelContext({ content: [{ type: 'text', text: confirmation }] });
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error), true);
  } finally {
    book.disabled = chosen === undefined;
  }
}

function tell(text: string, isProblem = false): void {
  message.textContent = text;
  message.classList.toggle('problem', isProblem);
}

function textOf(tag: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
