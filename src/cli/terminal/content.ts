import type { ContentBlock, ResourceContents } from 'tenon/protocol';
import type { Output } from './output.js';
import { pictureProtocol, showPicture } from './picture.js';
import { plainLine, plainText } from './plain-text.js';
import type { Saver } from './save.js';

/** Shows content of a server: text as it is, pictures where the terminal can, files otherwise. */
export function showContent(blocks: readonly ContentBlock[], output: Output, saver: Saver): void {
  // A file that the user names is meant for the picture, not for the words around it.
  const savesText = saver.hasFolder || blocks.every(({ type }) => type === 'text');
  for (const block of blocks) showBlock(block, output, saver, savesText);
}

function showBlock(block: ContentBlock, output: Output, saver: Saver, savesText: boolean): void {
  const { dim, cyan } = output.colours;
  switch (block.type) {
    case 'text':
      if (saver.isWanted && savesText)
        showSaved('text', saver.save(block.text, 'text', 'text/plain'), output);
      return output.print(plainText(block.text));
    case 'image':
      return showMedia('picture', block, output, saver);
    case 'audio':
      return showMedia('sound', block, output, saver);
    case 'resource_link': {
      const about = [block.title ?? block.name, block.description]
        .filter(Boolean)
        .map(text => plainLine(text as string));
      return output.print(`${cyan(plainLine(block.uri))}  ${dim(about.join(': '))}`.trimEnd());
    }
    case 'resource':
      output.print(dim(`${plainLine(block.resource.uri)}:`));
      return showResource(block.resource, output, saver);
    default:
      return output.print(
        dim(`(content of the unknown type ${plainLine(String((block as { type: unknown }).type))})`),
      );
  }
}

/** Shows the contents of a resource. */
export function showResource(resource: ResourceContents, output: Output, saver: Saver): void {
  const { uri, mimeType = '' } = resource;
  if ('text' in resource) {
    if (saver.isWanted)
      return showSaved(uri, saver.save(resource.text, uri, mimeType || 'text/plain'), output);
    return output.print(plainText(resource.text).replace(/\n$/, ''));
  }
  showMedia('file', { data: resource.blob, mimeType, name: uri }, output, saver);
}

interface Media {
  readonly data: string;
  readonly mimeType: string;
  readonly name?: string;
}

function showMedia(kind: string, { data, mimeType, name = kind }: Media, output: Output, saver: Saver): void {
  const bytes = Buffer.from(data, 'base64');
  const protocol = output.isTerminal && mimeType.startsWith('image/') ? pictureProtocol() : undefined;
  const picture = protocol && showPicture(bytes, mimeType, protocol);
  if (picture) process.stdout.write(picture);
  if (picture && !saver.isWanted) return;
  const what = `${kind}, ${plainLine(mimeType) || 'of unknown type'}, ${bytes.length.toLocaleString('en')} bytes`;
  showSaved(what, saver.save(bytes, name, mimeType), output);
}

function showSaved(what: string, path: string, output: Output): void {
  output.print(`${path}  ${output.colours.dim(plainLine(what))}`);
}
