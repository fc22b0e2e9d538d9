import type { Run } from '../state/runs.js';

/** How far a run is, as far as the server tells. */
export function ProgressBar(props: NonNullable<Run['progress']>) {
  return (
    <div class="progress">
      <progress
        value={props.total === undefined ? undefined : props.progress}
        max={props.total}
        aria-label="Progress"
      />
      <span class="muted">
        {props.message} {props.total === undefined ? props.progress : `${props.progress} of ${props.total}`}
      </span>
    </div>
  );
}
