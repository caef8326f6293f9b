/** What the page keeps in the browser; where site data are blocked, for as long as it is open. */

/** @param {() => Storage} find throws where nothing may be kept */
function kept(find) {
  try {
    return find();
  } catch {
    const values = new Map();
    return { getItem: (name) => values.get(name) ?? null, setItem: (name, value) => void values.set(name, value) };
  }
}

/** Kept until this tab is closed. */
export const ofTab = kept(() => sessionStorage);

/** Kept for all tabs. */
export const ofBrowser = kept(() => localStorage);
