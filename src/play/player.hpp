// Pages with the player in them: one file, no network, nothing but the player's own script may run.
#pragma once

#include <string>

#include "play/pack.hpp"

namespace cairn::play {

// What a page with a player needs, in this order: `head` in the <head>, `element` where the player
// is to be, `script` at the end of the <body>.
struct PlayerParts {
  std::string head, element, script;
  PackErrors errors;
  std::size_t frames = 0;
};

PlayerParts player_parts(const Clip& clip);

// A page that is all player.
std::string player_page(const PlayerParts& parts);

}  // namespace cairn::play
