import { quoteBriefly } from '../base/json.js';

/** Why a method cannot be named like this; undefined if it can. Its name stands in a header as it is. */
export function methodNameProblem(name: string): string | undefined {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(name)) return undefined;
  return `${quoteBriefly(name)} cannot be the name of a method: no header can carry it; use printable ASCII, without spaces around it`;
}
