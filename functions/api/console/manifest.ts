/** The icons as pixels, for systems that take no SVG (iOS and older Android): the sign at their sizes, drawn by a browser. */
export const icons = ['icon-192.png', 'icon-512.png', 'icon-maskable-512.png', 'apple-touch-icon.png'] as const;
const png = (src: (typeof icons)[number], size: number, purpose: 'any' | 'maskable') => ({
  src,
  type: 'image/png',
  sizes: `${size}x${size}`,
  purpose,
});

/**
 * The manifest by which a device installs the console as an app (W3C Web Application Manifest). Its addresses are relative
 * to its own, so that it holds at any address of the API.
 */
export const manifest: string = JSON.stringify({
  name: 'Sensor Cloud',
  id: '../console',
  start_url: '../console',
  scope: '../console',
  display: 'standalone',
  background_color: '#ffffff',
  theme_color: '#0b7285',
  icons: [
    { src: 'sign.svg', type: 'image/svg+xml', sizes: 'any', purpose: 'any' },
    png('icon-192.png', 192, 'any'),
    png('icon-512.png', 512, 'any'),
    png('icon-maskable-512.png', 512, 'maskable'),
  ],
});
