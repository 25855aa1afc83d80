/** How far above the element under the pointer the one with the ellipsis can be: a link within a badge within a cell. */
const LEVELS = 6;

const isTruncated = (element: Element): boolean =>
  (element.scrollWidth > element.clientWidth && getComputedStyle(element).textOverflow === 'ellipsis') ||
  // Text that is cut after some lines.
  (element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).webkitLineClamp !== 'none');

/** The element that cuts the text there by an ellipsis; null when all of it is shown. */
export function findTruncated(start: Element): HTMLElement | null {
  let element: Element | null = start;
  for (let level = 0; element && level < LEVELS; level += 1) {
    if (element instanceof HTMLElement && isTruncated(element)) return element;
    element = element.parentElement;
  }
  return null;
}

/** The whole text of an element; what its own `title` adds to that follows on a line of its own. */
export function wholeText(element: HTMLElement): string {
  // biome-ignore lint/performance/useDomNodeTextContent: it would join the words of two blocks.
  const text = element.innerText.trim();
  const titled = element.closest<HTMLElement>('[title]') ?? element.querySelector<HTMLElement>('[title]');
  const title = titled?.title.trim() ?? '';
  if (title === '' || text.includes(title)) return text;
  return title.includes(text) ? title : `${text}\n${title}`;
}
