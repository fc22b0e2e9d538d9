import type { Server } from 'tenon';
import { icon } from './icon.ts';
import { drawPlate } from './picture.ts';

/** Resources that never change: the house rules, and the sign above the door. */
export function addAbout(server: Server): void {
  server.resource(
    'bistro://house-rules',
    {
      name: 'house-rules',
      title: 'House rules',
      description: 'Opening hours, and what guests should know',
      mimeType: 'text/markdown',
      annotations: { audience: ['user', 'assistant'], priority: 0.8 },
      icons: [icon('📜')],
    },
    () => '# House rules\n\nOpen from noon to midnight. Dogs are welcome. There is no second sitting.\n',
  );
  server.resource(
    'bistro://sign.png',
    { name: 'sign', title: 'The sign above the door', mimeType: 'image/png', icons: [icon('🪧')] },
    () => drawPlate([36, 84, 64]),
  );
}
