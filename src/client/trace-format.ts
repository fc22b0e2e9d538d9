/** @see https://www.w3.org/TR/trace-context/#tracestate-header */
export function isTracestate(text: string): boolean {
  const members = text.split(',').map(trimSpace);
  return members.length <= MAX_STATES && members.every(member => member === '' || STATE.test(member));
}

/** @see https://www.w3.org/TR/baggage/#definition */
export function isBaggage(text: string): boolean {
  return text.split(',').every(member => {
    const [entry, ...properties] = member.split(';').map(trimSpace);
    return ENTRY.test(entry as string) && properties.every(property => PROPERTY.test(property));
  });
}

const MAX_STATES = 32;
const STATE =
  /^([a-z0-9][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const VALUE = '[ \\t]*=[ \\t]*[!#-+\\--:<-[\\]-~]*';
const ENTRY = new RegExp(`^${TOKEN}${VALUE}$`);
const PROPERTY = new RegExp(`^${TOKEN}(${VALUE})?$`);

function trimSpace(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}
