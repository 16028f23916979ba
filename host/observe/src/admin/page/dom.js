// All functions that change the page. They set text only as text, never as HTML.

import { plain } from './format.js';

export const find = (id) => document.getElementById(id);

// Creates an element; children are elements or texts.
export const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => (child instanceof Node ? child : plain(child))));
  return element;
};

export const draw = (tag, attributes = {}) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

export const say = (element, text) => {
  const shown = plain(text);
  if (element.textContent !== shown) element.textContent = shown;
};

// Sets a text that its cell may truncate; hovering shows all of it.
export const sayCut = (element, text) => {
  say(element, text);
  const whole = plain(text);
  if (element.title !== whole) element.title = whole;
};

// Sets the name of a file. What does not fit is cut off at the left, because the end of a path says most.
export const sayPath = (element, text) => {
  if (!element.firstElementChild) element.append(make('bdi', { dir: 'ltr' }));
  element.className = 'path';
  sayCut(element.firstElementChild, text);
  if (element.title !== element.firstElementChild.title) element.title = element.firstElementChild.title;
};

export const show = (element, visible) => {
  element.hidden = !visible;
};

// Makes the rows of a table match `items`, in order. Rows with the same key keep their elements, so that nothing flickers
// and selected text stays selected.
export const syncRows = (body, items, keyOf, create, update) => {
  const known = new Map([...body.children].map((row) => [row.dataset.key, row]));
  const rows = items.map((item) => {
    const key = String(keyOf(item));
    let row = known.get(key);
    if (row) known.delete(key);
    else {
      row = create(item);
      row.dataset.key = key;
    }
    update(row, item);
    return row;
  });
  for (const row of known.values()) row.remove();
  rows.forEach((row, index) => {
    if (body.children[index] !== row) body.insertBefore(row, body.children[index] ?? null);
  });
};
