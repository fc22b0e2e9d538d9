/** The purpose of an opening: one start of a pipe, from its first message to a link or to the end. */
export type Plan =
  /** Nothing is known: probe, and fall back to the handshake. */
  | 'find out'
  /** An earlier connection used the handshake: greet, and probe if that is refused. */
  | 'greet'
  /** The server is known to need the handshake, and the probe may have spoiled the start before this one. */
  | 'greet only'
  /** As before, but the probe was never answered, so the server may speak a newer revision all the same. */
  | 'greet in doubt'
  /** The server is known, or has to be, of a revision without a handshake. */
  | 'probe only';

/**
 * What is known of one `server/discover`. If it is late, an answer may still come; if it is ignored, none will. If it is
 * misdelivered, a newer server has refused it for headers that something on the way has made.
 */
export type ProbeState = 'unsent' | 'sent' | 'late' | 'ignored' | 'misdelivered' | 'answered' | 'refused';

/** What is known of `initialize`. It is outdated if the server's error says that it has only newer revisions. */
export type HandshakeState = 'unsent' | 'sent' | 'late' | 'accepted' | 'refused' | 'outdated';

/** What is known of the server at the other end of a pipe. */
export interface Opening {
  readonly plan: Plan;
  probe: ProbeState;
  handshake: HandshakeState;
  /** The second `server/discover`: of a server that refused the handshake, or that answered the first one late. */
  check: ProbeState;
  /** Whether the connection has ended. */
  hasEnded: boolean;
}

export type Step =
  | 'wait'
  | 'probe'
  | 'greet'
  | 'check'
  | 'use modern'
  | 'use legacy'
  | 'start again to greet'
  | 'start again to probe'
  | 'give up';

/**
 * The next step of an opening. Four rules decide it: an answer to the probe wins over the handshake, whenever it comes;
 * `initialize` is sent once to a process; a process that has accepted it gets no request of another revision, unless it
 * has answered the probe; and a process that has answered both is used only in the era that it is still in, since servers
 * of both eras may settle on the era of the last request.
 */
export function nextStep(opening: Opening): Step {
  if (opening.hasEnded) return afterEnd(opening);
  switch (opening.handshake) {
    case 'unsent':
      return beforeHandshake(opening);
    case 'sent':
      return 'wait';
    case 'late':
      if (opening.probe === 'answered') return 'use modern';
      return opening.plan === 'find out' ? 'start again to greet' : 'give up';
    case 'refused':
    case 'outdated':
      return afterRefusal(opening);
    case 'accepted':
      return afterHandshake(opening);
  }
}

/** Whether a process that was greeted may be of the other era all the same: neither probe shows that it is not. */
export function isDoubtful({ plan, probe, check }: Opening): boolean {
  if (plan === 'greet' || plan === 'greet only') return false;
  return probe !== 'refused' && check !== 'refused';
}

function beforeHandshake({ plan, probe }: Opening): Step {
  if (probe === 'answered') return 'use modern';
  if (plan !== 'find out' && plan !== 'probe only') return 'greet';
  if (probe === 'unsent') return 'probe';
  if (probe === 'sent') return 'wait';
  return plan === 'probe only' ? 'give up' : 'greet';
}

function afterRefusal({ plan, probe, handshake, check }: Opening): Step {
  if (probe === 'answered' || check === 'answered') return 'use modern';
  const mayBeModern = handshake === 'outdated' || probe === 'late' || probe === 'unsent';
  if (mayBeModern && plan !== 'greet only') {
    if (check === 'unsent') return 'check';
    if (check === 'sent') return 'wait';
  }
  // A bridge may have done the handshake by itself when the probe came.
  return plan === 'find out' && handshake === 'refused' ? 'start again to greet' : 'give up';
}

function afterHandshake({ probe, check }: Opening): Step {
  if (check === 'answered') return 'use modern';
  // The probe may be answered after the handshake.
  if (probe === 'late') return 'wait';
  if (probe !== 'answered') return 'use legacy';
  if (check === 'unsent') return 'check';
  return check === 'sent' ? 'wait' : 'start again to probe';
}

/** The server may have ended because of a request that it does not know. */
function afterEnd({ plan, probe }: Opening): Step {
  if (probe === 'answered') return 'start again to probe';
  return plan === 'find out' ? 'start again to greet' : 'give up';
}
