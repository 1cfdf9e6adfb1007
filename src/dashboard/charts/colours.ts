// The colours of the style sheet, for what is drawn on a canvas.

/** What a custom property means here and now, light or dark. */
export function colour(name: string, place: HTMLElement): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  place.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Lines on a ground: the second sign beside the colour. */
export function hatch(ground: string, line: string, rising: boolean): CanvasPattern | string {
  const size = 6 * devicePixelRatio;
  const tile = document.createElement('canvas');
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext('2d');
  if (pen === null) return ground;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = line;
  pen.lineWidth = 1.4 * devicePixelRatio;
  pen.beginPath();
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift, rising ? size : 0);
    pen.lineTo(shift + size, rising ? 0 : size);
  }
  pen.stroke();
  return pen.createPattern(tile, 'repeat') ?? ground;
}
