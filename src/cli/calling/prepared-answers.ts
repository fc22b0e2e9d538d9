import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnswerOptions } from 'tenon/client';
import type { ElicitResult, Root } from 'tenon/protocol';
import { usageError } from '../failure.js';
import type { GivenAnswer } from '../questions/answering.js';
import { plainLine } from '../terminal/plain-text.js';

/** The values of `--answer`: an object is what a form is filled with, a word accepts, declines or cancels. */
export function readAnswers(texts: readonly string[]): GivenAnswer[] {
  return texts.map(text => ({ text, answer: readAnswer(text) }));
}

function readAnswer(text: string): ElicitResult {
  if (text === 'accept' || text === 'decline' || text === 'cancel') return { action: text };
  const content = parse(text.startsWith('@') ? readFile(text.slice(1)) : text);
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    return { action: 'accept', content: content as NonNullable<ElicitResult['content']> };
  }
  throw usageError(
    `--answer "${plainLine(text).slice(0, 100)}" cannot be read`,
    `Write --answer '{"name": "value"}', --answer accept, --answer decline or --answer cancel.`,
  );
}

/** Answers for a model with a fixed text, or with the text of a file. */
export function sampleWith(text: string): NonNullable<AnswerOptions['onSample']> {
  const answer = text.startsWith('@') ? readFile(text.slice(1)) : text;
  return () => ({
    role: 'assistant',
    content: { type: 'text', text: answer },
    model: 'tenon-cli',
    stopReason: 'endTurn',
  });
}

export function readRoots(folders: readonly string[]): Root[] {
  return folders.map(folder => {
    const path = resolve(folder);
    if (!statSync(path, { throwIfNoEntry: false })) {
      throw usageError(
        `--root ${plainLine(folder)} does not exist`,
        'Name a folder or file on this machine.',
      );
    }
    return { uri: pathToFileURL(path).href, name: basename(path) };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw usageError(
      `cannot read ${plainLine(path)}: ${(error as Error).message}`,
      'Check the path after @.',
    );
  }
}
