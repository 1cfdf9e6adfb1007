// `a,b` is two words. A comma inside a word is written `\,`, or the word stands in double quotes.

const ITEM = /\s*(?:"((?:[^"\\]|\\.)*)"|((?:[^,\\]|\\.)*))\s*(?:,|$)/gsy;

export function commaList(text: string): string[] {
  const items: string[] = [];
  for (const [, quoted, plain = ''] of text.matchAll(ITEM)) {
    items.push((quoted ?? plain).replaceAll(/\\([,"\\])/g, '$1').trim());
  }
  return items.filter((item) => item !== '');
}
