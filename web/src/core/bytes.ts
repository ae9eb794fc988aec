// The columns of the page's data: base64 text, in it LEB128 numbers (src/report/html/bytes.h writes them).

export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export class ByteReader {
  at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  // Exact up to 2^53; what is larger is only ever a value, and those are read with signedAt.
  number(): number {
    let byte = this.bytes[this.at++];
    if (byte < 0x80) return byte;
    let result = byte & 0x7f;
    let scale = 128;
    do {
      byte = this.bytes[this.at++];
      result += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    return result;
  }

  signed(): number {
    const zigzag = this.number();
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }

  skip(): void {
    while (this.bytes[this.at++] >= 0x80);
  }

  // The 64-bit number that begins at an offset, and where it ends.
  signedAt(at: number): { value: bigint; end: number } {
    let zigzag = 0n;
    let shift = 0n;
    let byte;
    do {
      byte = this.bytes[at++];
      zigzag |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
    } while (byte >= 0x80);
    zigzag = BigInt.asUintN(64, zigzag);
    return { value: zigzag & 1n ? -((zigzag + 1n) >> 1n) : zigzag >> 1n, end: at };
  }
}
