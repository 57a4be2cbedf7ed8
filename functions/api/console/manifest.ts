/** The icons as PNG, for iOS and older Android versions without SVG support. A browser rendered them from the logo. */
export const icons = ['icon-192.png', 'icon-512.png', 'icon-maskable-512.png', 'apple-touch-icon.png'] as const;
const png = (src: (typeof icons)[number], size: number, purpose: 'any' | 'maskable') => ({
  src,
  type: 'image/png',
  sizes: `${size}x${size}`,
  purpose,
});

/**
 * The W3C Web Application Manifest for installing the console as an app. The URLs are relative, so that the manifest
 * works at any API URL.
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
