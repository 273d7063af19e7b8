// Canvases as sharp as the screen, and the colours of the page for them.

// Fits the canvas to its box; returns its context, scaled to CSS pixels, or null if it has no size.
export function fitted(canvas) {
  const w = canvas.clientWidth;
  const h = canvas.clientHeight;
  if (w === 0 || h === 0) return null;
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  canvas.width = Math.round(w * ratio);
  canvas.height = Math.round(h * ratio);
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, w, h };
}

export function pageColors(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    ink: read('--ink'), soft: read('--soft'), grid: read('--grid'), rule: read('--rule'), bad: read('--bad'),
    stick: read('--stick'), slip: read('--slip'), guard: read('--s4'), curves: [read('--s1'), read('--s2'), read('--s3'), read('--s4')],
  };
}

// Calls `at`(share of the width, 0 to 1) while the pointer is down on an element.
export function dragged(element, at) {
  const tell = (event) => {
    const box = element.getBoundingClientRect();
    at((event.clientX - box.left) / box.width, box.width);
  };
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture?.(event.pointerId);
    tell(event);
  });
  element.addEventListener('pointermove', (event) => {
    if (event.buttons & 1) tell(event);
  });
}
