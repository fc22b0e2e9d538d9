import { createSignal } from 'solid-js';
import type { AppPage, AppRequest } from 'tenon/apps/host';

/** Something that an app wants, and the user decides. */
export interface Wish {
  readonly request: AppRequest;
  /** `always` also agrees to the same from now on. */
  decide(isAllowed: boolean, always?: boolean): void;
}

/** What an app wants. The user agrees to each wish, to all calls of one tool, or to all reads of one resource. */
export function createWishes() {
  const [wishes, setWishes] = createSignal<readonly Wish[]>([]);
  const allowed = new Set<string>();

  const ask = (request: AppRequest, { signal }: { signal: AbortSignal }): Promise<boolean> | boolean => {
    if (request.kind === 'start' && wantsNothing(request.page)) return true;
    const key = keyOf(request);
    if (key !== undefined && allowed.has(key)) return true;
    return new Promise(resolve => {
      const end = (isAllowed: boolean) => {
        setWishes(all => all.filter(other => other !== wish));
        signal.removeEventListener('abort', giveUp);
        resolve(isAllowed);
      };
      const giveUp = () => end(false);
      const wish: Wish = {
        request,
        decide(isAllowed, always) {
          if (always && key !== undefined) allowed.add(key);
          end(isAllowed);
        },
      };
      signal.addEventListener('abort', giveUp);
      setWishes(all => [...all, wish]);
    });
  };
  return { wishes, ask };
}

/** Whether an app stays within its page, so that it can be shown without a question. */
function wantsNothing({ csp, permissions }: AppPage): boolean {
  return Object.keys(csp).length === 0 && Object.keys(permissions).length === 0;
}

/** Names the wishes that can be agreed to for good. */
function keyOf(request: AppRequest): string | undefined {
  if (request.kind === 'call') return `call ${request.tool.name}`;
  return request.kind === 'read' ? `read ${request.uri}` : undefined;
}
