import { toBuffer, toString as toText } from 'qrcode';

type ImageType = 'image/png' | 'image/svg+xml';

/** Returns the QR code to scan with the mobile app to add this server (D1 "QR code content"). */
export const qrCode = async (content: { url: string; serviceName: string }, type: ImageType): Promise<Uint8Array> => {
  const text = Buffer.from(JSON.stringify(content)).toString('base64');
  // Scanners need a margin of four modules.
  const options = { errorCorrectionLevel: 'M', margin: 4 } as const;
  if (type === 'image/png') return toBuffer(text, { ...options, type: 'png', scale: 8 });
  return Buffer.from(await toText(text, { ...options, type: 'svg' }));
};
