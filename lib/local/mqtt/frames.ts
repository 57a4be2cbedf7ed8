/**
 * Creates a function that checks the bytes of a connection as they arrive, packet by packet. It gives false once a
 * packet declares more than `most` bytes (the first packet: `first`), or an invalid length, so that nothing of it is
 * buffered.
 * https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html#_Toc398718023
 */
export const createFrames = (most: number, first = most): ((chunk: Uint8Array) => boolean) => {
  let bound = first;
  /**
   * Bytes of the packet that are still to come, and the number of digits of its length so far; -1 digits: the first
   * byte of a packet comes next.
   */
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
      if (length > bound || (byte > 127 && digits === 4)) return false;
      if (byte < 128) [left, digits, bound] = [length, -1, most];
    }
    return true;
  };
};
