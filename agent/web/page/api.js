/** Asks the server, and tells it what to do. */

import { ofTab } from "./storage.js";

let token = document.querySelector('meta[name="ludens-token"]').content;

/** The name of this tab, which outlasts a reload. */
export const tab = ofTab.getItem("ludens-tab") ?? newName();
ofTab.setItem("ludens-tab", tab);

/** Returns 32 random hexadecimal digits; randomUUID is not there where a page came over plain HTTP from elsewhere. */
function newName() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} what the server knows; rejects with its reason */
export async function get(path, signal) {
  return answer(await reached(() => fetch(path, { signal })));
}

/** @param {string} path @param {object} body @returns {Promise<any>} the server's answer; rejects with its reason */
export async function post(path, body = {}) {
  const send = () =>
    fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Ludens-Token": token },
      body: JSON.stringify({ ...body, tab }),
    });
  let response = await reached(send);
  if (response.status === 403 && (await renewed())) response = await reached(send);
  return answer(response);
}

async function reached(send) {
  try {
    return await send();
  } catch {
    throw new Error("Ludens does not answer: is it still running?");
  }
}

async function answer(response) {
  const found = await response.json().catch(() => ({ error: `Ludens answers with status ${response.status}` }));
  if (!response.ok) throw new Error(found.error ?? response.statusText);
  return found;
}

/** Takes the token of a server that was started anew; says whether there is another one. */
async function renewed() {
  const text = await (await reached(() => fetch("/"))).text();
  const found = new DOMParser().parseFromString(text, "text/html").querySelector('meta[name="ludens-token"]')?.content;
  const changed = Boolean(found) && found !== token;
  token = found ?? token;
  return changed;
}
