import MiniSearch, { type SearchResult } from 'minisearch';
import { findSections } from './search.js';
import { SEARCH_OPTIONS } from './search-options.js';

const MOST_RESULTS = 12;
const root = document.documentElement;

startTheme();
startMenu();
startSearch(element('query') as HTMLInputElement, element('results'));

function element(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement;
}

/** The choice of the reader wins over that of the system. Without storage it holds for this page. */
function startTheme(): void {
  const stored = storage()?.getItem('theme');
  if (stored) root.dataset.theme = stored;
  element('theme').addEventListener('click', () => {
    const isDark = root.dataset.theme
      ? root.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
    storage()?.setItem('theme', root.dataset.theme);
  });
}

function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

function startMenu(): void {
  const button = element('menu');
  button.addEventListener('click', () => {
    const isOpen = document.body.classList.toggle('menu-open');
    button.setAttribute('aria-expanded', String(isOpen));
  });
  document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'center' });
}

function startSearch(input: HTMLInputElement, results: HTMLElement): void {
  let index: Promise<MiniSearch> | undefined;
  let selected = -1;
  const load = () => {
    index ??= loadIndex();
    return index;
  };
  const close = () => {
    results.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    selected = -1;
  };
  const select = (next: number) => {
    const options = [...results.children];
    if (options.length === 0) return;
    selected = (next + options.length) % options.length;
    for (const [at, option] of options.entries())
      option.setAttribute('aria-selected', String(at === selected));
    options[selected]?.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', options[selected]?.id ?? '');
  };
  const show = async () => {
    const query = input.value.trim();
    if (query === '') return close();
    const found = findSections(await load(), query).slice(0, MOST_RESULTS);
    if (query !== input.value.trim()) return;
    results.replaceChildren(...(found.length > 0 ? found.map(toOption) : [emptyOption(query)]));
    results.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    select(0);
  };
  input.addEventListener('focus', load);
  input.addEventListener('input', show);
  input.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown') select(selected + 1);
    else if (event.key === 'ArrowUp') select(selected - 1);
    else if (event.key === 'Enter') results.children[selected]?.querySelector('a')?.click();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  document.addEventListener('click', event => {
    if (!(event.target as HTMLElement).closest('search')) close();
  });
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || document.activeElement === input) return;
    event.preventDefault();
    input.focus();
  });
}

/** A script, because a page that is opened from a disk may not fetch. */
function loadIndex(): Promise<MiniSearch> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${root.dataset.root}/search-index.js`;
    script.onload = () => {
      const { searchIndex } = globalThis as unknown as {
        searchIndex: Parameters<typeof MiniSearch.loadJS>[0];
      };
      resolve(MiniSearch.loadJS(searchIndex, SEARCH_OPTIONS));
    };
    script.onerror = () => reject(new Error('the index of the search is missing'));
    document.head.append(script);
  });
}

function toOption({ id, heading, page }: SearchResult, at: number): HTMLElement {
  const link = document.createElement('a');
  link.href = `${root.dataset.root}/${id}`;
  link.tabIndex = -1;
  const place = document.createElement('small');
  place.textContent = page;
  link.append(heading, place);
  return option(at, link);
}

function emptyOption(query: string): HTMLElement {
  const text = document.createElement('p');
  text.textContent = `Nothing is found for “${query}”.`;
  return option(0, text);
}

function option(at: number, content: HTMLElement): HTMLElement {
  const item = document.createElement('li');
  item.id = `result${at}`;
  item.role = 'option';
  item.append(content);
  return item;
}
