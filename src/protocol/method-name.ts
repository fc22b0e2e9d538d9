import { quoteBriefly } from '../base/json.js';

/** Why a method cannot be named like this; undefined if it can. Its name stands in a header as it is. */
export function methodNameProblem(name: string): string | undefined {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(name)) return undefined;
  return `${quoteBriefly(name)} cannot be the name of a method: no header can carry it; use printable ASCII, without spaces around it`;
}

/** Whether a message belongs to the protocol, or is named as one of its future revisions is likely to be. */
export function isOfProtocol(name: string): boolean {
  return OF_PROTOCOL.test(name);
}

const OF_PROTOCOL =
  /^(initialize|ping|notifications\/(initialized|cancelled|progress|message)|(notifications\/)?(tools|resources|prompts|completion|logging|server|subscriptions|sampling|roots|elicitation)\/.*)$/;
