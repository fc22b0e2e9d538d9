import { Server } from 'tenon';
import type { AppFrame, AppRequest } from 'tenon/apps/host';
import { type Client, connect } from 'tenon/client';

// The page connects to an address; a server is as good.
export const url: Server = new Server({ name: 'weather', version: '1.0.0' });
export const client: Client = await connect(url);
export const askTheUser = async (_request: AppRequest, _signal: AbortSignal): Promise<boolean> => false;
export const openInNewTab = (_url: string): void => {};
export const document = {} as { createElement(tag: 'iframe'): AppFrame };
