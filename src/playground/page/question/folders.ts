/** The folders of a text with one path or `file:` URI on each line, as the protocol names them. */
export function readFolders(text: string): { uri: string }[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => ({ uri: toUri(line) }));
}

function toUri(path: string): string {
  if (/^file:/i.test(path)) return path;
  const isWindows = /^[a-z]:[\\/]/i.test(path);
  const steps = (isWindows ? `/${path.replaceAll('\\', '/')}` : path.replace(/^(?!\/)/, '/')).split('/');
  // The colon of a drive stays as it is.
  return `file://${steps.map(step => (/^[a-z]:$/i.test(step) ? step : encodeURIComponent(step))).join('/')}`;
}
