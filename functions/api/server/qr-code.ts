import { toBuffer, toString as toText } from 'qrcode';

type Picture = 'image/png' | 'image/svg+xml';

/** The picture that the app is shown to add this server (D1 "QR code content"). */
export const qrCode = async (content: { url: string; serviceName: string }, type: Picture): Promise<Uint8Array> => {
  const text = Buffer.from(JSON.stringify(content)).toString('base64');
  // A frame of four modules is what readers need.
  const options = { errorCorrectionLevel: 'M', margin: 4 } as const;
  if (type === 'image/png') return toBuffer(text, { ...options, type: 'png', scale: 8 });
  return Buffer.from(await toText(text, { ...options, type: 'svg' }));
};
