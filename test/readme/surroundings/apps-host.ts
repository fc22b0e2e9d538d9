import type { AppFrame, AppRequest, ShownApp } from 'tenon/apps/host';
import type { Client } from 'tenon/client';

// Only the types of these are used: apps-host.test.ts runs the snippets in a browser.
export const url = '' as string;
export const client = {} as Client;
export const app = {} as ShownApp;
export const askTheUser = async (_request: AppRequest, _signal: AbortSignal): Promise<boolean> => false;
export const openInNewTab = (_url: string): void => {};
export const document = {} as { querySelector(selector: 'iframe'): AppFrame | null };
