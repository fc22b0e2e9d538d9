import type { Server } from 'tenon';
import type { Cluster } from 'tenon/cluster';
import type { TasksExtension } from 'tenon/tasks';

export interface FilmStudioOptions {
  /** A file to which the handler writes what it does, in which process. */
  ledger: string;
  /** How long the work takes. */
  workMs: number;
  cluster?: Cluster | undefined;
}

export function createFilmStudio(options: FilmStudioOptions): { server: Server; work: TasksExtension };
