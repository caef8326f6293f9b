/* Every playout policy that a network's machine applies: PLAYOUT_POLICY(its name, the function in
 * src/network/NAME.cpp that makes it, its meaning).
 *
 * The one table of them: src/network/playout_policy.cpp includes it, and playout_policies.py reads it as text, so that
 * settings can be checked where there is no native core.
 */
PLAYOUT_POLICY(mast, make_move_averages, "prefers moves that did well in other games of the same search")
