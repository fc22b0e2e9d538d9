const RATE = 8000;
const SECONDS = 0.4;
const HERTZ = 1760;

/** The bell of the kitchen pass: a tone that fades, as a WAV. */
export function recordBell(): Uint8Array {
  const samples = RATE * SECONDS;
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  // PCM, one channel.
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(RATE * 2, 28);
  // Two bytes for each sample.
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(samples * 2, 40);
  for (let at = 0; at < samples; at++) {
    const fade = 1 - at / samples;
    wav.writeInt16LE(Math.round(Math.sin((at / RATE) * HERTZ * 2 * Math.PI) * fade * 20_000), 44 + at * 2);
  }
  return wav;
}
