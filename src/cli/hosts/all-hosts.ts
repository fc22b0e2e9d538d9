import { claudeCode } from './claude-code.js';
import { claudeDesktop } from './claude-desktop.js';
import { codex } from './codex.js';
import { copilot } from './copilot.js';
import { cursor } from './cursor.js';
import { gemini } from './gemini.js';
import type { Host } from './host.js';
import { vscode } from './vscode.js';
import { windsurf } from './windsurf.js';
import { zed } from './zed.js';

/** The hosts whose configuration is known. */
export const HOSTS: readonly Host[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  vscode,
  codex,
  windsurf,
  gemini,
  copilot,
  zed,
];
