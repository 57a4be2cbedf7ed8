/**
 * What people and hosts need to know about a setting. Functions ignore it, so this function is empty in their bundles,
 * and the bundler drops the argument (lib/aws/functions/bundle.ts).
 */
export function forHosts<const A>(about: A): A {
  return about;
}
