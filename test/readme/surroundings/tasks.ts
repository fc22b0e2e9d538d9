import { Server } from 'tenon';

export { Server };

export interface Build {
  token: string;
  error?: string;
  log: string;
}

export const renderScene = async (scene: string, _signal: AbortSignal): Promise<string> => `${scene}.mp4`;
export const farm = { start: async (_token: string | undefined): Promise<void> => {} };
