import { afterAll, beforeAll, expect, test } from 'vitest';
import { logo, squareLogo } from '#functions/api/console/logo.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('icons');
});
afterAll(() => site.stop());

/** Returns how much two images differ at the given size, from 0 to 1. Runs in the page. */
const DIFFERENCE = `async ([first, second, size]) => {
  const pixels = async (src) => {
    const image = new Image();
    image.src = src;
    await image.decode();
    const context = new OffscreenCanvas(size, size).getContext('2d');
    context.drawImage(image, 0, 0, size, size);
    return context.getImageData(0, 0, size, size).data;
  };
  const [a, b] = [await pixels(first), await pixels(second)];
  return a.reduce((sum, value, at) => sum + Math.abs(value - b[at]), 0) / a.length / 255;
}`;

test('renders the PNG icons from the current logo', async () => {
  await using visitor = await site.open();
  const differenceOf = (svg: string, name: string, size: number) => {
    const args = JSON.stringify([`data:image/svg+xml,${encodeURIComponent(svg)}`, `${site.address}/${name}`, size]);
    return visitor.page.evaluate<number>(`(${DIFFERENCE})(${args})`);
  };
  expect(await differenceOf(logo, 'icon-192.png', 192)).toBeLessThan(0.005);
  expect(await differenceOf(logo, 'icon-512.png', 512)).toBeLessThan(0.005);
  expect(await differenceOf(squareLogo, 'icon-maskable-512.png', 512)).toBeLessThan(0.005);
  expect(await differenceOf(squareLogo, 'apple-touch-icon.png', 180)).toBeLessThan(0.005);
  // Control: these differ only in the corners.
  expect(await differenceOf(logo, 'icon-maskable-512.png', 512)).toBeGreaterThan(0.005);
});
