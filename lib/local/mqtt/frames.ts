/**
 * Looks at the bytes of a connection as they come, packet by packet: false once one of them claims to be larger than
 * `most` bytes, or to be of no length that MQTT knows. So nothing of it is gathered first.
 * https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html#_Toc398718023
 */
export const createFrames = (most: number): ((chunk: Uint8Array) => boolean) => {
  /** Bytes of this packet that are still to come; -1 digits: the first byte of a packet is next. */
  let [left, digits, length] = [0, -1, 0];
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(left, chunk.length - at);
      left -= skipped;
      at += skipped;
      if (skipped > 0) continue;
      const byte = chunk[at++] ?? 0;
      if (digits < 0) {
        [digits, length] = [0, 0];
        continue;
      }
      length += (byte & 127) * 128 ** digits++;
      if (length > most || (byte > 127 && digits === 4)) return false;
      if (byte < 128) [left, digits] = [length, -1];
    }
    return true;
  };
};
