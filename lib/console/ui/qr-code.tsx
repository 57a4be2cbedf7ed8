import { create } from 'qrcode';

/** The quiet zone that readers need, in modules (ISO/IEC 18004). */
const MARGIN = 4;

/** A QR code for `text`. It is black on white in dark mode too, because readers expect that. */
export const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const squares = [...data].flatMap((isDark, at) => (isDark ? [`M${at % size} ${Math.floor(at / size)}h1v1h-1z`] : []));
  const total = size + 2 * MARGIN;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-MARGIN} ${-MARGIN} ${total} ${total}`}
      width={total * 4}
      shapeRendering="crispEdges"
    >
      <rect x={-MARGIN} y={-MARGIN} width={total} height={total} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
};
