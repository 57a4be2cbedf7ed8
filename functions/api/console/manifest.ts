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
  icons: [{ src: 'sign.svg', type: 'image/svg+xml', sizes: 'any', purpose: 'any' }],
});
